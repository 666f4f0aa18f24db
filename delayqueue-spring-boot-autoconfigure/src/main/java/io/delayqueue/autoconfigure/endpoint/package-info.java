/**
 * Auto-configures the management endpoints and their request filters for servlet stacks and WebFlux. The beans exist
 * only in web applications with Actuator that expose the endpoint.
 */
@NullMarked
package io.delayqueue.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
