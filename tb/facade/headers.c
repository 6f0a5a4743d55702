/* All headers of the facade in C, and a caller of each kind. */
#include "horae/facade/facade.h"
#include "horae/facade/ordering.h"
#include "horae/facade/psn.h"

int ask(void);
int ask(void) {
  horae_ordering_answer answer;
  horae_ordering* engine = horae_ordering_create("engine=ideal");
  int status = horae_ordering_packet(engine, 0, horae_psn_add(0, 1), 0, 0, &answer);
  horae_ordering_destroy(engine);
  return status == HORAE_OK && answer.tracking == HORAE_OUT_OF_ORDER && horae_facade_version() == HORAE_FACADE_VERSION;
}
