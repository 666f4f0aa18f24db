/**
 * Bodies as JSON, strictly and independent of the application's settings: what cannot be read is refused in a sentence that
 * names the field. Jackson is seen in one class here.
 *
 * <p>Row 5: used by {@code web.api} and what lies below it. Read next: {@link io.delayqueue.web.api.json.Fields}.
 */
@NullMarked
package io.delayqueue.web.api.json;

import org.jspecify.annotations.NullMarked;
