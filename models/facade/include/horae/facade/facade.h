/* Horae's reference models for C, and, through horae_pkg.sv, for SystemVerilog: what all parts share. */
#ifndef HORAE_FACADE_FACADE_H
#define HORAE_FACADE_FACADE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function or a struct of these headers changes its meaning. */
#define HORAE_FACADE_VERSION 1

/* What functions return that can fail. */
enum {
  HORAE_OK = 0,
  HORAE_REFUSED = 1, /* an argument is wrong; nothing has changed */
  HORAE_BROKEN = 2   /* a rule of the model is broken, or memory ran out: destroy the object */
};

/* The version of the library; compare it with HORAE_FACADE_VERSION. */
int horae_facade_version(void);

/* Why the last call of this thread that failed did: one line, without its end. Empty before the first. Good until
   the next one. */
const char* horae_error(void);

#ifdef __cplusplus
}
#endif

#endif
