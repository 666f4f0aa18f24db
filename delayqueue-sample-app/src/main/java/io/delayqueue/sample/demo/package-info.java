/**
 * Faults at the push of a button: a transaction that is rolled back, a handler that fails after its insert, and a process
 * that is killed while it handles a message. The journal tells what the queue makes of them.
 *
 * <p>Read next: {@code Twins}.
 */
@NullMarked
package io.delayqueue.sample.demo;

import org.jspecify.annotations.NullMarked;
