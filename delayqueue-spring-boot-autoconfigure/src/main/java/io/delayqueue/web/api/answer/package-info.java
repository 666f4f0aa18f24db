/**
 * What clients are told, one record for each body; a component that is null is left out.
 *
 * <p>Row 5: used by {@code web.api}, and listed in {@code autoconfigure} for native images.
 */
@NullMarked
package io.delayqueue.web.api.answer;

import org.jspecify.annotations.NullMarked;
