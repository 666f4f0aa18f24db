/**
 * A delay queue on Redis for Spring Boot. {@link io.delayqueue.Internal} marks what an application must not use.
 *
 * <p>The packages form layers, each with its subpackages, which {@code docs/development.md} lists. A package uses only
 * packages of the layers below its own.
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
