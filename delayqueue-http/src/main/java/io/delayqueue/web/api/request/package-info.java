/**
 * The bodies of requests, one record each. Each record validates its fields in its constructor.
 *
 * <p>Used by {@code web.api}, and listed in {@code autoconfigure} for native images.
 */
@Internal
@NullMarked
package io.delayqueue.web.api.request;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
