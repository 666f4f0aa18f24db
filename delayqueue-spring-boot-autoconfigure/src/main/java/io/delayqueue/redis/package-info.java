/**
 * Redis as the queue sees it: key names, Lua scripts, signals and connections. The only package besides the
 * auto-configuration that sees Spring Data Redis.
 *
 * <p>Row 1: used by {@code store}, {@code coordination} and above. Read next: {@link io.delayqueue.redis.KeySpace}, then
 * {@link io.delayqueue.redis.ScriptRunner}.
 */
@NullMarked
package io.delayqueue.redis;

import org.jspecify.annotations.NullMarked;
