/**
 * Due messages go on to a message broker, and are acknowledged when it has confirmed them.
 *
 * <p>Row 5. A {@link io.delayqueue.forward.Route} says where to; {@link io.delayqueue.forward.ForwardingHandler} is the
 * listener's handler that maps a delivery, hands it to a {@link io.delayqueue.forward.Forwarder} and waits no longer than
 * the route allows. A sub-package for each broker. Applications may implement {@link io.delayqueue.forward.ForwardMapper}.
 * Read next: {@code docs/forwarding.md}.
 */
@NullMarked
package io.delayqueue.forward;

import org.jspecify.annotations.NullMarked;
