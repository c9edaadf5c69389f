/* RCUCB on the censored bandit: hand-tuned, one core, single precision.
 *
 * Per run and pair two numbers are cached: the estimate nu and the width w
 * (the radius without its factor sqrt(2 log t)), so that the index is one
 * fused multiply-add; a round renews only the pulled arm's row. Sixteen runs
 * advance together: a round first finds all their argmaxes and then updates
 * all their rows, which lets the processor overlap independent work. Each run
 * has its own lane of a 16-wide xoshiro128++ generator.
 *
 * The number of times that a pair was pulled is the difference of neighbouring
 * counts (eq. (11) of the paper), so the pulls need no counter of their own.
 * Counts are single-precision numbers, exact up to 2^24.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define K 10 /* arms */
#define M 10 /* limits */
#define PADDED(x) (((x) + 15) / 16 * 16)
#define ROW PADDED(M) /* a row of the statistics: whole vectors */
#define PAIRS PADDED(K * M)
#define G 16 /* runs that advance together */
#define LOWEST (-1e30f)
#define ALIGNED _Alignas(64)

typedef struct {
    ALIGNED float nu[PAIRS]; /* [arm * M + limit] */
    ALIGNED float w[PAIRS];
    ALIGNED float n[K][ROW]; /* N_{i,tau}; n[i][0] is N_{i,0} */
    ALIGNED float gain[K][ROW];
    ALIGNED float over[K][ROW];
} Run;

typedef struct {
    ALIGNED float limit[ROW];
    ALIGNED float penalty[ROW];
    float mean[K]; /* 1 / rate */
} Game;

typedef struct {
    ALIGNED uint32_t s[4][G];
} Generator;

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

/* log of x in (0, 1] (polynomial of Cephes' logf), without branches so that the
 * loop over the lanes becomes vector code. */
static inline float log_lane(float x) {
    static const float c[] = {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f,
                              -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f,
                              2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f};
    union { float f; uint32_t i; } v = {x};
    int e = (int)(v.i >> 23) - 126;
    v.i = (v.i & 0x007fffffu) | 0x3f000000u; /* mantissa in [0.5, 1) */
    int small = v.f < 0.70710678f;
    float m = (small ? v.f + v.f : v.f) - 1.0f, z = m * m, p = c[0];
    for (int k = 1; k < 9; k++) p = p * m + c[k];
    return m + (m * z * p - 0.5f * z) + (float)(e - small) * 0.69314718056f;
}

/* The first largest nu + s w. */
static inline int choose(const Run *run, float s) {
    float index[PAIRS], top = LOWEST;
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
}

/* Play the pair; e is a standard exponential, reward a uniform variate. */
static inline void update(Run *run, const Game *game, int pair, float e, float reward) {
    int arm = pair / M, limit = pair - M * arm;
    float consumption = e * game->mean[arm], gain = reward - 0.1f * consumption;
    float *n = run->n[arm], *g = run->gain[arm], *o = run->over[arm], root[ROW];
    float *nu = run->nu + M * arm, *w = run->w + M * arm;
    float seen = consumption > game->limit[limit] ? -LOWEST : consumption;
    for (int m = 0; m < ROW; m++) {
        float over = seen > game->limit[m] ? 1 : 0, counted = m <= limit ? 1 : 0;
        n[m] += counted;
        g[m] += counted * (1 - over) * gain;
        o[m] += over;
        root[m] = 1 / (float)sqrt(n[m]);
    }
    float plays = root[0] * root[0];
    for (int m = 0; m < M; m++) {
        nu[m] = g[m] * root[m] * root[m] - game->penalty[m] * o[m] * plays;
        w[m] = root[m];
    }
}

static void play_group(Run *run, const Game *game, const float *factor, int horizon,
                       int runs, Generator *random) {
    for (int g = 0; g < runs; g++) {
        run[g] = (Run){0};
        for (int k = 0; k < PAIRS; k++) run[g].nu[k] = LOWEST;
        for (int i = 0; i < K; i++) /* the padding stays finite */
            for (int m = M; m < ROW; m++) run[g].n[i][m] = 1;
    }
    for (int t = 0; t < horizon; t++) {
        ALIGNED uint32_t bits[2][G];
        ALIGNED float e[G], reward[G];
        int pair[G];
        next(random, bits[0]);
        next(random, bits[1]);
        for (int l = 0; l < G; l++) {
            e[l] = -log_lane((float)(0x1000000 - (int32_t)bits[0][l]) * 0x1p-24f);
            reward[l] = (float)(int32_t)bits[1][l] * 0x1p-24f;
        }
        for (int g = 0; g < runs; g++)
            pair[g] = t < K ? t * M + M - 1 : choose(run + g, factor[t]);
        for (int g = 0; g < runs; g++)
            update(run + g, game, pair[g], e[g], reward[g]);
    }
}

/* Play `seeds` runs from the generators' states, [seeds][4]; hits[s] is how often the
 * pair `best` was pulled. Returns 0, or 1 without memory. */
int play(int seeds, int horizon, int best, const uint32_t *states,
         const double *limits, const double *penalties, const double *rates,
         double *hits) {
    Run *run = aligned_alloc(64, G * sizeof(Run));
    float *factor = malloc((size_t)horizon * sizeof(float));
    int failed = !run || !factor;
    Game game = {0};
    for (int t = 0; t < horizon && !failed; t++)
        factor[t] = (float)sqrt(2.0 * log((double)(t + 1)));
    for (int m = 0; m < M; m++) {
        game.limit[m] = (float)limits[m];
        game.penalty[m] = (float)penalties[m];
    }
    for (int i = 0; i < K; i++) game.mean[i] = (float)(1.0 / rates[i]);
    for (int first = 0; first < seeds && !failed; first += G) {
        int runs = seeds - first < G ? seeds - first : G;
        Generator random = {0};
        for (int g = 0; g < 4 * runs; g++)
            random.s[g % 4][g / 4] = states[4 * first + g];
        play_group(run, &game, factor, horizon, runs, &random);
        for (int g = 0; g < runs; g++) {
            const float *n = run[g].n[best / M] + best % M;
            hits[first + g] = n[0] - (best % M + 1 < M ? n[1] : 0);
        }
    }
    free(run);
    free(factor);
    return failed;
}
