/**
 * A delay queue on Redis for Spring Boot. No type lives here: an application starts with the packages below.
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
