/**
 * Why an application with a delay queue did not start, and what to do about it.
 *
 * <p>Row 6. The exceptions are thrown by {@code autoconfigure}, the analyses are found by Spring Boot.
 */
@NullMarked
package io.delayqueue.autoconfigure.failure;

import org.jspecify.annotations.NullMarked;
