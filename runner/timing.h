/* Why: one clock for both sides. The judge loads this as a shared object (ctypes) to time PyTorch, the runner
   links it to time the candidate, so warm-up, perturbation, poison, L2 flush, hold, rotation and events are
   the same code. Plain C; needs no CUDA header and links no CUDA library: libcuda.so.1 is opened at run time.
   Every function returns 0, or non-zero with the reason in the message. One thread per context. */
#ifndef UCUTLASS_TIMING_H
#define UCUTLASS_TIMING_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define UCT_VERSION 2

typedef struct uct_context uct_context;
typedef struct {
  int32_t code;   /* CUresult, errno, or the status that the enqueue callback returned */
  char where[48]; /* the call that failed */
  char text[512];
} uct_message;

typedef struct {
  char name[128];
  char uuid[64]; /* "GPU-xxxxxxxx-xxxx-..." */
  uint64_t l2_bytes, memory_bytes;
  int32_t sm_count, compute, driver, ordinal; /* compute: 90 for 9.0; driver: 13000 for 13.0 */
} uct_info;

/* What a float buffer holds, for the perturbation; 0 leaves a buffer alone. Added to it: UCT_SIGNS where all
   signs may flip together, UCT_SIGNS_ONLY where nothing else may. */
enum { UCT_LEAVE, UCT_F32, UCT_F16, UCT_BF16, UCT_F64, UCT_SIGNS = 256, UCT_SIGNS_ONLY = 512 };

typedef struct {
  void* data;
  uint64_t bytes; /* used bytes; a last half word is not perturbed */
  uint32_t kind;  /* UCT_F32 ...: perturbed before each run */
  uint32_t pad;
} uct_region;

/* R sets of inputs and outputs, set-major: inputs[set * inputs_per_set + i]. */
typedef struct {
  uint32_t sets, inputs_per_set, outputs_per_set, pad;
  const uct_region* inputs;
  const uct_region* outputs;
  /* Input i of a set carries the perturbation rotl(seed, 5 i mod 32). */
  uint32_t* seeds; /* [sets] in and out: which perturbation each set's inputs carry; 0: none */
} uct_sets;

typedef struct {
  uint64_t seed; /* of the plan: order of sets, perturbations */
  uint32_t warm_runs, runs;
  uint64_t flush_bytes; /* read before each run; 0: twice the L2 */
  uint32_t hold_us;     /* longest time that the hold waits for the launches; 0: 20000 */
  uint32_t
      period_us; /* least time from one release to the next, so both sides keep one duty cycle; 0: none */
  /* The hold goes on for this long after the host has enqueued all, so that each run starts from a quiet
     device whose front end has its launches, whether or not its side had to wait. 0: none */
  uint32_t settle_us;
  uint32_t pad;
} uct_block;

typedef struct {
  double wall_us;    /* host time of the whole block, warm-up included */
  double period_us;  /* host time per run, warm-up excluded */
  double enqueue_us; /* median host time of the callback */
  uint32_t unheld;   /* timed runs whose hold ran out before the launches were complete */
  /* Sets whose output, in the last run on them, was written before the stream had come to the run, or after
     it had left it: work that the marks do not enclose. */
  uint32_t early, late;
  uint32_t pad;
} uct_block_result;

typedef struct {
  double event_us; /* by device events (host backend: by its clock) over all runs */
  double wall_us;  /* by the host clock */
  uint32_t runs;
  uint32_t pad;
} uct_batch_result;

/* Enqueues one run on set `set` into `stream`; returns 0 or a status that ends the block. */
typedef int (*uct_enqueue)(void* user, uint32_t set, void* stream);

uint32_t uct_version(void);
/* device: "cuda:N", or "host" (buffers in host memory, runs are synchronous: for tests of the protocol). */
int uct_open(const char* device, uct_context** out, uct_message* message);
void uct_close(uct_context* context);
int uct_get_info(uct_context* context, uct_info* out, uct_message* message);
/* Name, UUID without making a context on the device: what the lock needs. */
int uct_identify(const char* device, uct_info* out, uct_message* message);
void* uct_stream(uct_context* context);

/* A block of its own, rounded up to 2 MiB, since CUDA IPC shares whole allocations. */
int uct_alloc(uct_context* context, uint64_t bytes, void** out, uct_message* message);
int uct_free(uct_context* context, void* data, uct_message* message);
int uct_ipc_export(uct_context* context, void* data, uint8_t handle[64], uct_message* message);
int uct_ipc_import(uct_context* context, const uint8_t handle[64], void** out, uct_message* message);
int uct_ipc_close(uct_context* context, void* data, uct_message* message);
int uct_copy(uct_context* context, void* to, const void* from, uint64_t bytes, int to_device,
             uct_message* message);
int uct_sync(uct_context* context, uct_message* message);

/* Fills with the byte 0xFF, which is NaN in every float type here. */
int uct_poison(uct_context* context, void* data, uint64_t bytes, uct_message* message);
/* Takes a region from perturbation `before` to `after` (0: the base content); its own inverse. */
int uct_perturb(uct_context* context, const uct_region* region, uint32_t before, uint32_t after,
                uct_message* message);

/* The plan of a block: set and perturbation of each of `total` runs. Sets retire at random times, so that
   their last outputs, which the judge checks, come from all over the block; two stay to the end. */
void uct_plan(uint64_t seed, uint32_t total, uint32_t sets, uint32_t* set_of_run, uint32_t* seed_of_run);

/* Times block->runs runs one by one after block->warm_runs discarded ones. times_us: [runs]. */
int uct_run_block(uct_context* context, const uct_sets* sets, const uct_block* block, uct_enqueue enqueue,
                  void* user, double* times_us, uct_block_result* result, uct_message* message);
/* Runs back to back, rotating through the sets, without flush, hold or perturbation, until `runs` are done.
 */
int uct_run_batch(uct_context* context, uint32_t sets, uint32_t runs, uct_enqueue enqueue, void* user,
                  uct_batch_result* result, uct_message* message);
/* Captures `nodes` runs as one CUDA graph and replays it once; then uct_run_graph replays until `runs` are
 * done. */
int uct_capture(uct_context* context, uint32_t sets, uint32_t nodes, uct_enqueue enqueue, void* user,
                uct_message* message);
int uct_run_graph(uct_context* context, uint32_t runs, uct_batch_result* result, uct_message* message);

/* Non-zero with a reason when L2 persistence has been switched on behind the clock's back. */
int uct_check_persistence(uct_context* context, uct_message* message);

#ifdef __cplusplus
}
#endif
#endif
