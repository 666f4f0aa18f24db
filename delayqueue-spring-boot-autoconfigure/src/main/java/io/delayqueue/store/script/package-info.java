/**
 * The store on Redis: one Lua script per verb, beside these classes among the resources, and the code that speaks with
 * it. Others see {@link io.delayqueue.store.MessageStore}, and {@link io.delayqueue.store.script.TopicRegistry} for which
 * shard a message lives in; only the assembly names the rest.
 */
@NullMarked
package io.delayqueue.store.script;

import org.jspecify.annotations.NullMarked;
