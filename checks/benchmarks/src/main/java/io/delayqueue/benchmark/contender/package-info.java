/**
 * The measured queues behind a common interface. To add a queue, add an implementation of
 * {@link io.delayqueue.benchmark.contender.Contender} and a {@link io.delayqueue.benchmark.result.Party}.
 *
 * <p>Read next: {@link io.delayqueue.benchmark.contender.ProductContender}.
 */
@NullMarked
package io.delayqueue.benchmark.contender;

import org.jspecify.annotations.NullMarked;
