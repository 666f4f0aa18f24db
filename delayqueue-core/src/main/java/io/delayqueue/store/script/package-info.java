/**
 * The implementation of the store on Redis: the Lua scripts, which are resources of this package, and the code that
 * runs them. Other packages use {@link io.delayqueue.store.MessageStore}, and
 * {@link io.delayqueue.store.script.TopicRegistry} to determine shards. Only the configuration refers to the other
 * classes.
 */
@Internal
@NullMarked
package io.delayqueue.store.script;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
