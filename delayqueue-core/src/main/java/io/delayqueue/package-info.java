/**
 * A delay queue on Redis for Spring Boot. An application starts with the packages below;
 * {@link io.delayqueue.Internal} marks what it must not use.
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
