/**
 * The HTTP interface of ouqiang/delay-queue, for clients that are written for it: what they send is read as Go reads it, and
 * what they get is written as Go writes it.
 *
 * <p>Row 5. Nothing here blocks but the reading of a request and the writing of an answer. Read next:
 * {@link io.delayqueue.web.compat.CompatServlet}, then {@link io.delayqueue.web.compat.JobDesk}.
 */
@NullMarked
package io.delayqueue.web.compat;

import org.jspecify.annotations.NullMarked;
