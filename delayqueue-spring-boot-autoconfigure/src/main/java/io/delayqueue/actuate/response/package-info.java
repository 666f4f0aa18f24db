/**
 * The bodies of the management endpoint's responses. The records are written as JSON with their component names. Stored
 * strings, such as topics and ids, are always values, never names.
 *
 * <p>A descriptor is the response of a view, as in Spring Boot's own endpoints. {@code autoconfigure} lists all of them
 * for native images. Instants are written in ISO 8601 and durations in milliseconds. Null components are omitted. The
 * component names are part of the endpoint's contract, see {@code docs/observability.md}.
 */
@Internal
@NullMarked
package io.delayqueue.actuate.response;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
