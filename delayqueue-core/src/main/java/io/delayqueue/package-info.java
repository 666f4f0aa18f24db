/**
 * A delay queue on Redis for Spring Boot. {@link io.delayqueue.Internal} marks what an application must not use.
 *
 * <p>The packages form layers, each with its subpackages. A package uses only packages of the layers below its own,
 * which {@code ArchitectureTests} verifies. From the lowest layer to the highest:
 *
 * <ol>
 *   <li>{@code message}
 *   <li>{@code event}, {@code redis}, {@code convert}, {@code listener}
 *   <li>{@code store}, {@code coordination}
 *   <li>{@code template}, {@code container}
 *   <li>{@code annotation}, {@code admin}
 *   <li>{@code metrics}, {@code actuate}, {@code web}, {@code forward}
 *   <li>{@code autoconfigure}
 * </ol>
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
