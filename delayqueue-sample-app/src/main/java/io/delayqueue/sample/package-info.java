/**
 * An order service that cancels unpaid orders by delayed messages.
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
