/**
 * Simulates customers, so that the dashboard and the meters have data.
 *
 * <p>Later actions of a customer are delayed messages, too. Read next: {@code Crowd}.
 */
@NullMarked
package io.delayqueue.sample.crowd;

import org.jspecify.annotations.NullMarked;
