/**
 * The dashboard among the application's management endpoints: a page of plain HTML, style sheet and JavaScript modules,
 * which lie among the resources of this package and need no build.
 *
 * <p>Row 5: used by {@code autoconfigure} only. Read next: {@code index.html}, then {@code app.js}, which asks and draws;
 * {@code overview.js}, {@code topic.js} and {@code detail.js} say what is to be seen, {@code actions.js} what can be done,
 * {@code verdict.js} whether a topic is late and why. Whatever comes from the queue becomes text by way of {@code dom.js},
 * never markup.
 */
@NullMarked
package io.delayqueue.actuate.dashboard;

import org.jspecify.annotations.NullMarked;
