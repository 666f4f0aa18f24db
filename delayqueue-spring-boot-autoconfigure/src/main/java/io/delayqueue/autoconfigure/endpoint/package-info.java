/**
 * Assembles the management endpoint and what stands before it, on servlet stacks and WebFlux. It is absent without
 * Actuator, outside of web applications, and while the endpoint isn't exposed.
 */
@NullMarked
package io.delayqueue.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
