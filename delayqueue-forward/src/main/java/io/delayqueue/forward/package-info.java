/**
 * Forwards due messages to message brokers. A message is acknowledged when the broker has confirmed it.
 *
 * <p>A {@link io.delayqueue.forward.Route} names the broker and the destination.
 * {@link io.delayqueue.forward.ForwardingHandler} is the listener's handler: it maps a delivery, sends it through a
 * {@link io.delayqueue.forward.Forwarder} and waits at most for the route's timeout. Each broker has a subpackage.
 * Applications may implement {@link io.delayqueue.forward.ForwardMapper}. Read next: {@code docs/forwarding.md}.
 */
@NullMarked
package io.delayqueue.forward;

import org.jspecify.annotations.NullMarked;
