/**
 * Payloads to bytes and back. The type comes from whoever receives, never from the data.
 *
 * <p>Row 1. Jackson is seen in one class here.
 */
@NullMarked
package io.delayqueue.convert;

import org.jspecify.annotations.NullMarked;
