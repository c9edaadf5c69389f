/* RCUCB on the censored bandit: hand-tuned, one core, single precision.
 *
 * Per run and pair two numbers are cached: the estimate nu and the width w
 * (the radius without its common factor sqrt(2 log t)), so that the index is
 * one fused multiply-add; a round renews only the pulled arm's row. Sixteen
 * runs advance together: a round first finds all their argmaxes and then
 * updates all their rows, which lets the processor overlap independent work.
 * Each run has its own lane of a 16-wide xoshiro128++ generator.
 *
 * The number of times that a pair was pulled is the difference of neighbouring
 * counts (eq. (11) of the paper), so the pulls need no counter of their own.
 * Counts are stored as REAL, exact up to 2^24 in single precision.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define REAL float
#ifndef K
#define K 10 /* arms */
#endif
#ifndef M
#define M 10 /* limits */
#endif
#define PADDED(x) (((x) + 15) / 16 * 16)
#define ROW PADDED(M)       /* a row of the statistics: whole vectors */
#define PAIRS PADDED(K * M)
#define G 16                /* runs that advance together */
/* With INTRINSICS: written out for rows of one vector and seven vectors of pairs. */
#ifdef INTRINSICS
#if !defined(__AVX512F__) || !defined(__BMI__) || ROW != 16 || PAIRS != 112
#error "no intrinsics for this machine or size"
#endif
#include <immintrin.h>
#define WIDE 1
#endif
#define LOWEST ((REAL)-1e30)

typedef struct {
    _Alignas(64) REAL nu[PAIRS];  /* [arm * M + limit] */
    _Alignas(64) REAL w[PAIRS];
    _Alignas(64) REAL n[K][ROW]; /* N_{i,tau}; n[i][0] is N_{i,0} */
    _Alignas(64) REAL gain[K][ROW];
    _Alignas(64) REAL over[K][ROW];
} Run;

typedef struct {
    _Alignas(64) REAL limit[ROW];
    _Alignas(64) REAL penalty[ROW];
    _Alignas(64) REAL radius[ROW]; /* penalty_radius * penalty */
    REAL mean[K];                  /* 1 / rate */
    REAL cost;
} Game;

typedef struct {
    _Alignas(64) uint32_t s[4][G];
} Generator;

static uint64_t splitmix(uint64_t *x) {
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void start_generator(Generator *r, uint64_t seed, long first) {
    for (int l = 0; l < G; l++) {
        uint64_t x = seed;
        x = splitmix(&x) + (uint64_t)(first + l);
        for (int k = 0; k < 4; k += 2) {
            uint64_t z = splitmix(&x);
            r->s[k][l] = (uint32_t)z;
            r->s[k + 1][l] = (uint32_t)(z >> 32);
        }
    }
}

#define ROTL(x, k) (((x) << (k)) | ((x) >> (32 - (k))))

/* xoshiro128++, all lanes; the upper 24 bits. */
static inline void next(Generator *r, uint32_t *out) {
    for (int l = 0; l < G; l++) {
        uint32_t a = r->s[0][l], b = r->s[1][l], c = r->s[2][l], d = r->s[3][l];
        uint32_t sum = a + d;
        out[l] = (ROTL(sum, 7) + a) >> 8;
        uint32_t t = b << 9;
        c ^= a;
        d ^= b;
        r->s[1][l] = b ^ c;
        r->s[0][l] = a ^ d;
        r->s[2][l] = c ^ t;
        r->s[3][l] = ROTL(d, 11);
    }
}

/* log of x in (0, 1], single precision (polynomial of Cephes' logf), written
 * without branches so that the loop over the lanes becomes vector code. */
static inline float log_lane(float x) {
    union { float f; uint32_t i; } v = {x};
    int e = (int)(v.i >> 23) - 126;
    v.i = (v.i & 0x007fffffu) | 0x3f000000u; /* mantissa in [0.5, 1) */
    int small = v.f < 0.70710678f;
    float m = (small ? v.f + v.f : v.f) - 1.0f;
    float ef = (float)(e - small);
    float z = m * m;
    float p = 7.0376836292e-2f;
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    return m + (m * z * p - 0.5f * z) + ef * 0.69314718056f;
}

/* The first largest nu + s w. */
static inline int choose(const Run *run, REAL s) {
#ifdef WIDE
    __m512 factor = _mm512_set1_ps(s), v[7];
    for (int k = 0; k < 7; k++)
        v[k] = _mm512_fmadd_ps(factor, _mm512_load_ps(run->w + 16 * k),
                               _mm512_load_ps(run->nu + 16 * k));
    __m512 a = _mm512_max_ps(_mm512_max_ps(v[0], v[1]), _mm512_max_ps(v[2], v[3]));
    __m512 b = _mm512_max_ps(_mm512_max_ps(v[4], v[5]), v[6]);
    __m512 top = _mm512_set1_ps(_mm512_reduce_max_ps(_mm512_max_ps(a, b)));
    uint64_t low = 0, high = 0;
    for (int k = 0; k < 4; k++)
        low |= (uint64_t)_mm512_cmp_ps_mask(v[k], top, _CMP_EQ_OQ) << (16 * k);
    for (int k = 4; k < 7; k++)
        high |= (uint64_t)_mm512_cmp_ps_mask(v[k], top, _CMP_EQ_OQ) << (16 * k - 64);
    /* Without branches: which half holds the first maximum is unpredictable. */
    return (int)(_tzcnt_u64(low) + (_tzcnt_u64(high) & -(uint64_t)(low == 0)));
#else
    REAL index[PAIRS], top = LOWEST;
    for (int k = 0; k < PAIRS; k++) {
        index[k] = run->nu[k] + s * run->w[k];
        top = index[k] > top ? index[k] : top;
    }
    int first = PAIRS;
    for (int k = 0; k < PAIRS; k++) {
        int here = index[k] == top ? k : PAIRS;
        first = here < first ? here : first;
    }
    return first;
#endif
}

/* Play the pair; e is a standard exponential, reward a uniform variate. */
static inline void update(Run *run, const Game *game, int pair, REAL e, REAL reward) {
    int arm = pair / M, limit = pair - M * arm;
    REAL consumption = e * game->mean[arm];
    REAL gain = reward - game->cost * consumption;
    REAL *n = run->n[arm], *g = run->gain[arm], *o = run->over[arm];
#ifdef WIDE
    const __m512 one = _mm512_set1_ps(1.0f);
    __mmask16 counted = (__mmask16)((2u << limit) - 1);
    __mmask16 over = _mm512_cmp_ps_mask(
        _mm512_set1_ps(consumption), _mm512_load_ps(game->limit), _CMP_GT_OQ);
    over |= (__mmask16)-(over >> limit & 1); /* censored: exceeds all limits */
    __m512 vn = _mm512_load_ps(n), vg = _mm512_load_ps(g), vo = _mm512_load_ps(o);
    vn = _mm512_mask_add_ps(vn, counted, vn, one);
    vg = _mm512_mask_add_ps(vg, counted & (__mmask16)~over, vg, _mm512_set1_ps(gain));
    vo = _mm512_mask_add_ps(vo, over, vo, one);
    _mm512_store_ps(n, vn);
    _mm512_store_ps(g, vg);
    _mm512_store_ps(o, vo);
    /* 1/sqrt(n): 14 bits and one Newton step, full single precision. */
    __m512 root = _mm512_rsqrt14_ps(vn);
    __m512 half = _mm512_mul_ps(_mm512_mul_ps(vn, _mm512_set1_ps(0.5f)), root);
    root = _mm512_mul_ps(root, _mm512_fnmadd_ps(half, root, _mm512_set1_ps(1.5f)));
    __m512 root0 = _mm512_broadcastss_ps(_mm512_castps512_ps128(root));
    __m512 loss = _mm512_mul_ps(_mm512_load_ps(game->penalty), vo);
    loss = _mm512_mul_ps(loss, _mm512_mul_ps(root0, root0));
    __m512 nu = _mm512_fmsub_ps(vg, _mm512_mul_ps(root, root), loss);
    __m512 w = _mm512_fmadd_ps(_mm512_load_ps(game->radius), root0, root);
    _mm512_mask_storeu_ps(run->nu + M * arm, (1 << M) - 1, nu);
    _mm512_mask_storeu_ps(run->w + M * arm, (1 << M) - 1, w);
#else
    REAL seen = consumption > game->limit[limit] ? -LOWEST : consumption;
    REAL *nu = run->nu + M * arm, *w = run->w + M * arm, root[ROW];
    for (int m = 0; m < ROW; m++) {
        REAL over = seen > game->limit[m] ? 1 : 0, counted = m <= limit ? 1 : 0;
        n[m] += counted;
        g[m] += counted * (1 - over) * gain;
        o[m] += over;
        root[m] = 1 / (REAL)sqrt(n[m]);
    }
    REAL root0 = root[0], plays = root0 * root0;
    for (int m = 0; m < M; m++) {
        nu[m] = g[m] * root[m] * root[m] - game->penalty[m] * o[m] * plays;
        w[m] = root[m] + game->radius[m] * root0;
    }
#endif
}

static void play_group(Run *run, const Game *game, const REAL *factor, long horizon,
                       int runs, Generator *random) {
    for (int g = 0; g < runs; g++) {
        for (int k = 0; k < PAIRS; k++) {
            run[g].nu[k] = LOWEST;
            run[g].w[k] = 0;
        }
        for (int i = 0; i < K; i++)
            for (int m = 0; m < ROW; m++) {
                run[g].n[i][m] = m < M ? 0 : 1; /* the padding stays finite */
                run[g].gain[i][m] = run[g].over[i][m] = 0;
            }
    }
    for (long t = 0; t < horizon; t++) {
        _Alignas(64) uint32_t bits[2][G];
        _Alignas(64) float e[G], reward[G];
        int pair[G];
        next(random, bits[0]);
        next(random, bits[1]);
        for (int l = 0; l < G; l++) {
            e[l] = -log_lane((float)(0x1000000 - (int32_t)bits[0][l]) * 0x1p-24f);
            reward[l] = (float)(int32_t)bits[1][l] * 0x1p-24f;
        }
        if (t < K)
            for (int g = 0; g < runs; g++) pair[g] = (int)t * M + M - 1;
        else
            for (int g = 0; g < runs; g++) pair[g] = choose(run + g, factor[t]);
        for (int g = 0; g < runs; g++)
            update(run + g, game, pair[g], e[g], reward[g]);
    }
}

/* Play `seeds` runs; pulls is [seeds, K, M]. Returns 0, or 1 without memory. */
int play(long seeds, long horizon, uint64_t seed, double penalty_radius,
         const double *limits, const double *penalties, const double *rates,
         double cost, int64_t *pulls) {
    Run *run = aligned_alloc(64, G * sizeof(Run));
    REAL *factor = malloc((size_t)horizon * sizeof(REAL));
    if (!run || !factor) {
        free(run);
        free(factor);
        return 1;
    }
    for (long t = 0; t < horizon; t++)
        factor[t] = (REAL)sqrt(2.0 * log((double)(t + 1)));
    Game game;
    for (int m = 0; m < ROW; m++) {
        game.limit[m] = m < M ? (REAL)limits[m] : (REAL)0;
        game.penalty[m] = m < M ? (REAL)penalties[m] : (REAL)0;
        game.radius[m] = (REAL)penalty_radius * game.penalty[m];
    }
    for (int i = 0; i < K; i++) game.mean[i] = (REAL)(1.0 / rates[i]);
    game.cost = (REAL)cost;
    for (long first = 0; first < seeds; first += G) {
        int runs = seeds - first < G ? (int)(seeds - first) : G;
        Generator random;
        start_generator(&random, seed, first);
        play_group(run, &game, factor, horizon, runs, &random);
        for (int g = 0; g < runs; g++)
            for (int i = 0; i < K; i++)
                for (int m = 0; m < M; m++) {
                    REAL next_count = m + 1 < M ? run[g].n[i][m + 1] : 0;
                    pulls[((first + g) * K + i) * M + m] =
                        (int64_t)(run[g].n[i][m] - next_count);
                }
    }
    free(run);
    free(factor);
    return 0;
}
