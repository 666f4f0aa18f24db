/**
 * The implementation of the store on Redis: the Lua scripts, which are resources of this package, and the code that
 * runs them. Other packages use {@link io.delayqueue.store.MessageStore}, and
 * {@link io.delayqueue.store.script.TopicRegistry} to determine shards. Only the configuration refers to the other
 * classes.
 *
 * <p>The first argument of a script on a shard is the identity of the shard that the caller expects, {@code
 * <format>:<shard count>:<epoch>}. The script compares it with the identity in the key {@code meta} before it does
 * anything else. {@code ShardCalls} handles a difference. Read next: {@code TopicRegistry}, then {@code ShardCalls}.
 */
@Internal
@NullMarked
package io.delayqueue.store.script;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
