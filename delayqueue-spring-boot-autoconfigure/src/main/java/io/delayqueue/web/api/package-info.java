/**
 * The queue's own interface over HTTP, by Spring MVC. Controllers read and answer records, and know nothing of JSON, of status
 * lines of errors, or of how names stand in a path; whatever the application does to its own controllers (converters, naming
 * of fields, advices around bodies) doesn't reach them.
 *
 * <p>Row 5: used by {@code autoconfigure} only. Bodies lie in {@code request} and {@code answer}, JSON in {@code json}. Read
 * next: {@link io.delayqueue.web.api.MessagesController}, then {@link io.delayqueue.web.api.Problems} and the ADR on lease
 * tokens in paths and idempotency keys.
 */
@NullMarked
package io.delayqueue.web.api;

import org.jspecify.annotations.NullMarked;
