/**
 * Imports of messages that other libraries have stored. {@code docs/migration-importers.md} links to {@code
 * RedissonImporter} and {@code RqueueImporter}, which users download.
 */
@NullMarked
package io.delayqueue.compatibility.migration;

import org.jspecify.annotations.NullMarked;
