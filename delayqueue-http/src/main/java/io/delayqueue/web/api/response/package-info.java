/**
 * The bodies of responses, one record each. Null components are omitted.
 *
 * <p>Used by {@code web.api}, and listed in {@code autoconfigure} for native images.
 */
@Internal
@NullMarked
package io.delayqueue.web.api.response;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
