/** Auto-configuration of the HTTP interfaces for servlet applications. By default, they are disabled. */
@NullMarked
package io.delayqueue.autoconfigure.http;

import org.jspecify.annotations.NullMarked;
