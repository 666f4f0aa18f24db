/**
 * What clients ask for, one record for each body. Each reads itself from {@link io.delayqueue.web.api.json.Fields}, so that
 * neither the application's settings nor a library's leniency have a say in it.
 *
 * <p>Row 5: used by {@code web.api}.
 */
@NullMarked
package io.delayqueue.web.api.request;

import org.jspecify.annotations.NullMarked;
