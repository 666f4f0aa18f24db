/**
 * Reads and writes JSON bodies strictly and independently of the application's settings. An invalid body is rejected
 * with a message that names the field. Only {@code Json} uses Jackson.
 *
 * <p>Used by {@code web.api} and its subpackages. Read next: {@link io.delayqueue.web.api.json.Json}.
 */
@Internal
@NullMarked
package io.delayqueue.web.api.json;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
