// What the text of a round is written in: CUDA C++ for a thread, or C++ for a loop over
// runs. The text itself is the same in both.
typedef float F; typedef int I; typedef unsigned U; typedef bool B;

#ifdef __CUDACC__
#define FUNCTION static __device__ __forceinline__
#define TABLE static __device__ const
#define ROLLED _Pragma("unroll 1")
#define RUN (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define NAN_ __int_as_float(0x7fffffff)
#define INF_ __int_as_float(0x7f800000)
#define CHECKED(i, n) (i)
// The larger or lesser of two numbers is NaN if one of them is, as in XLA.
FUNCTION F greater(F a, F b) { F c; asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b)); return c; }
FUNCTION F lesser(F a, F b) { F c; asm("min.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b)); return c; }
FUNCTION F multiply_add(F a, F b, F c) { return __fmaf_rn(a, b, c); }
FUNCTION I to_I(F x) { return (I)x; }
FUNCTION U to_U(F x) { return (U)x; }
FUNCTION I bits_of(F x) { return __float_as_int(x); }
FUNCTION F of_bits(I x) { return __int_as_float(x); }
FUNCTION F logarithm_at_the_ends(F x) { return __log2f(x); }
template <class T> FUNCTION T population(T x) { return __popc(x); }
#else
#include <math.h>
#define FUNCTION static inline
#define TABLE static const
#define ROLLED
#define __global__
#define __launch_bounds__(n)
#define NAN_ __builtin_nanf("")
#define INF_ __builtin_inff()
static thread_local int this_run, outside;
#define RUN this_run
// Places beyond an array are counted, and are its first one.
static inline unsigned checked(unsigned i, unsigned n) { if (i < n) return i; ++outside; return 0; }
#define CHECKED(i, n) checked(i, n)
FUNCTION F greater(F a, F b) { return a > b || a != a ? a : b; }
FUNCTION F lesser(F a, F b) { return a < b || a != a ? a : b; }
FUNCTION F multiply_add(F a, F b, F c) { return a * b + c; }
FUNCTION I to_I(F x) { return x != x ? 0 : x >= 2147483648.f ? 2147483647 : x < -2147483648.f ? -2147483647 - 1 : (I)x; }
FUNCTION U to_U(F x) { return !(x > 0) ? 0u : x >= 4294967296.f ? 4294967295u : (U)x; }
FUNCTION I bits_of(F x) { return __builtin_bit_cast(I, x); }
FUNCTION F of_bits(I x) { return __builtin_bit_cast(F, x); }
FUNCTION F logarithm_at_the_ends(F x) { return (U)bits_of(x) << 1 < 0x01000000u ? -INF_ : logf(x); }
template <class T> FUNCTION T population(T x) { return __builtin_popcount(x); }
#endif

// Entry `i` of `n` of an array of this run alone, and of one with the entries of all runs.
#define OWN(array, i, n) array[CHECKED(i, n)]
#define ALL(array, i, n) array[CHECKED(i, n) * runs + run]

template <class T> FUNCTION F to_F(T x) { return (F)x; }
template <class T> FUNCTION I to_I(T x) { return (I)x; }
template <class T> FUNCTION U to_U(T x) { return (U)x; }
template <class T> FUNCTION B to_B(T x) { return x != 0; }

template <class T> FUNCTION T greater(T a, T b) { return a > b ? a : b; }
template <class T> FUNCTION T lesser(T a, T b) { return a < b ? a : b; }
template <class T> FUNCTION T conjunction(T a, T b) { return a & b; }
template <class T> FUNCTION T disjunction(T a, T b) { return a | b; }
template <class T> FUNCTION T difference(T a, T b) { return a ^ b; }
template <class T> FUNCTION T sum(T a, T b) { return a + b; }
template <class T> FUNCTION T product(T a, T b) { return a * b; }
template <class T> FUNCTION T squared(T a) { return a * a; }
FUNCTION B complement(B a) { return !a; }
template <class T> FUNCTION T complement(T a) { return ~a; }
FUNCTION F magnitude(F a) { return fabsf(a); }
FUNCTION I magnitude(I a) { return a < 0 ? -a : a; }
FUNCTION F sign(F a) { return a > 0 ? 1.f : a < 0 ? -1.f : a; }
template <class T> FUNCTION T sign(T a) { return (a > 0) - (a < 0); }
FUNCTION B is_finite(F a) { return fabsf(a) < INF_; }
// Of all floats one after the other: -0 before 0, and NaN at either end.
FUNCTION B in_order(F a, F b) {
  const I x = bits_of(a), y = bits_of(b);
  return (x ^ (I)((U)(x >> 31) >> 1)) < (y ^ (I)((U)(y >> 31) >> 1));
}
template <class T> FUNCTION B in_order(T a, T b) { return a < b; }
// 0: halves away from zero; 1: to the even number.
template <int method> FUNCTION F rounded(F x) { return method ? rintf(x) : roundf(x); }
template <class T> FUNCTION T shifted_left(T a, T b) { return (U)b < 32u ? (T)((U)a << (U)b) : (T)0; }
template <class T> FUNCTION T shifted_right(T a, T b) { return (U)b < 32u ? (T)((U)a >> (U)b) : (T)0; }
template <class T> FUNCTION T shifted_right_signed(T a, T b) { return (T)((I)a >> ((U)b < 32u ? (U)b : 31u)); }
FUNCTION F quotient(F a, F b) { return a * (1.f / b); }
// By zero: all ones, and the number itself.
FUNCTION U quotient(U a, U b) { return b ? a / b : ~0u; }
FUNCTION I quotient(I a, I b) { return b == 0 ? -1 : b == -1 ? (I)(0u - (U)a) : a / b; }
FUNCTION F remainder_of(F a, F b) { return fmodf(a, b); }
FUNCTION U remainder_of(U a, U b) { return b ? a % b : a; }
FUNCTION I remainder_of(I a, I b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
// Of an exponential, a Weibull law of shape 1, that is known when this is compiled.
FUNCTION F raised(F a, F b) { return b == 1 ? a : powf(a, b); }
// Of m 2^k, with m from 2/3 to 4/3: k log 2 + log m, to 1.1 units in the last place.
// Of subnormal numbers, which count as 0, of 0, infinity, NaN and numbers below 0, the
// logarithm is -infinity, infinity or NaN: that is `logarithm_at_the_ends`.
FUNCTION F logarithm(F x) {
  const U bits = bits_of(x), k = (bits - 0x3f2aaaabu) & 0xff800000u;
  const F m = of_bits(bits - k) - 1.f;
  F series = .14026351f;
  series = multiply_add(series, m, -.15388541f);
  series = multiply_add(series, m, .13995808f);
  series = multiply_add(series, m, -.16415961f);
  series = multiply_add(series, m, .20011169f);
  series = multiply_add(series, m, -.2500782f);
  series = multiply_add(series, m, .33333197f);
  series = multiply_add(m, multiply_add(series, m, -.49999937f) * m, m);
  const F result = multiply_add((F)(I)k, 8.262958e-8f, series);  // log 2 / 2^23
  return bits - 0x00800000u < 0x7f000000u ? result : logarithm_at_the_ends(x);
}
template <int n, class T> FUNCTION T power(T x) {
  T result = 1, factor = x;
#pragma unroll
  for (int rest = n < 0 ? -n : n; rest; rest >>= 1) { if (rest & 1) result *= factor; factor *= factor; }
  return n < 0 ? 1 / result : result;
}

// Threefry-2x32 with 20 rounds (arrays/_threefry.py).
FUNCTION void threefry(U k0, U k1, U x0, U x1, U& first, U& second) {
  const U keys[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  const int turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  x0 += k0; x1 += k1;
#pragma unroll
  for (int group = 0; group < 5; ++group) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int turn = turns[group % 2][k];
      x0 += x1; x1 = ((x1 << turn) | (x1 >> (32 - turn))) ^ x0;
    }
    x0 += keys[(group + 1) % 3]; x1 += keys[(group + 2) % 3] + (U)(group + 1);
  }
  first = x0; second = x1;
}
