/**
 * The queues that are measured beside one another, each behind the same few methods. Another one is added as an
 * implementation of {@link io.delayqueue.benchmark.contender.Contender} and a
 * {@link io.delayqueue.benchmark.result.Party}.
 *
 * <p>Read next: {@link io.delayqueue.benchmark.contender.ProductContender}.
 */
@NullMarked
package io.delayqueue.benchmark.contender;

import org.jspecify.annotations.NullMarked;
