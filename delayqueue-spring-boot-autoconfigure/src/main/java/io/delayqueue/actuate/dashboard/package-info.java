/**
 * The dashboard: a page of plain HTML, a style sheet and JavaScript modules. The files are resources of this package
 * and need no build.
 *
 * <p>Read next: {@code index.html}, then {@code app.js}, which requests and draws the data. {@code overview.js},
 * {@code topic.js}, {@code find.js} and {@code detail.js} are the views. {@code actions.js} defines the actions. {@code dom.js}
 * inserts all data of the queue as text, never as markup.
 */
@Internal
@NullMarked
package io.delayqueue.actuate.dashboard;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
