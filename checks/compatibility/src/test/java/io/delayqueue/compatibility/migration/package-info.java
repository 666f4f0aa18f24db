/**
 * Imports of messages that other libraries have stored. {@code docs/migration-importers.md} shows the importers, for
 * applications to copy.
 */
@NullMarked
package io.delayqueue.compatibility.migration;

import org.jspecify.annotations.NullMarked;
