/**
 * What the project claims to work with: servers, clients, TLS and permissions. {@code docs/compatibility.md} has the
 * same table.
 */
@NullMarked
package io.delayqueue.compatibility;

import org.jspecify.annotations.NullMarked;
