/* All headers of the facade in C, and a caller of each kind. */
#include "horae/facade/facade.h"
#include "horae/facade/ordering.h"
#include "horae/facade/psn.h"
#include "horae/facade/sender.h"

int ask(void);
int ask(void) {
  horae_ordering_answer answer;
  horae_ordering* engine = horae_ordering_create("engine=ideal");
  int status = horae_ordering_packet(engine, 0, horae_psn_add(0, 1), 0, 0, &answer);
  horae_ordering_destroy(engine);
  horae_sender_packet packet;
  horae_sender* sender = horae_sender_create("transport=go_back_n", 0);
  if (horae_sender_post(sender, 1) == HORAE_OK) status |= horae_sender_next(sender, 0, &packet);
  horae_sender_destroy(sender);
  return status == HORAE_OK && answer.tracking == HORAE_OUT_OF_ORDER && horae_facade_version() == HORAE_FACADE_VERSION;
}
