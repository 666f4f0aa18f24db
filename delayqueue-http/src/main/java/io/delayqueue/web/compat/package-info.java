/**
 * The HTTP interface of ouqiang/delay-queue, for its existing clients. Requests are parsed and responses are formatted
 * as by Go.
 *
 * <p>Only reading a request and writing a response block. Read next:
 * {@link io.delayqueue.web.compat.CompatServlet}, then {@link io.delayqueue.web.compat.JobService}.
 */
@Internal
@NullMarked
package io.delayqueue.web.compat;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
