/**
 * Pulling: whoever asks for due messages gets them under a lease, and settles them himself.
 *
 * <p>A topic with waiting receivers has one {@link io.delayqueue.template.pull.TopicPump}, a step that claims for one
 * receiver after the other and sleeps until something is due; a {@link io.delayqueue.template.pull.SettleLane} takes the
 * answers. {@link io.delayqueue.template.pull.Leases} takes answers to deliveries that another process may have pulled.
 * None of them owns a thread, and a topic that nobody waits for has no step.
 *
 * <p>Row 3, above {@code template} for its exceptions only. Read next: {@link io.delayqueue.template.pull.DelayQueueReceiver}.
 */
@NullMarked
package io.delayqueue.template.pull;

import org.jspecify.annotations.NullMarked;
