package io.delayqueue.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** A connection of Jedis to one master, from a factory of its own. */
final class JedisMasterConnection implements MasterConnection {

    private final JedisConnectionFactory factory;
    private final RedisConnection connection;
    private final Jedis jedis;

    /**
     * Connects.
     *
     * @param factory started, for this connection only; destroyed when the connection is closed or cannot be made
     */
    JedisMasterConnection(JedisConnectionFactory factory) {
        this.factory = factory;
        try {
            this.connection = factory.getConnection();
            this.jedis = (Jedis) connection.getNativeConnection();
        } catch (RuntimeException | Error e) {
            factory.destroy();
            throw e;
        }
    }

    @Override
    public List<Reply> exchange(List<List<byte[]>> commands, Duration timeout) {
        List<Response<Object>> responses = new ArrayList<>(commands.size());
        JedisException broken = null;
        try {
            jedis.getConnection().setSoTimeout(Math.toIntExact(timeout.toMillis()));
            Pipeline pipeline = jedis.pipelined();
            for (List<byte[]> command : commands) {
                byte[] name = command.get(0);
                ProtocolCommand keyword = () -> name;
                responses.add(pipeline.sendCommand(
                        keyword, command.subList(1, command.size()).toArray(byte[][]::new)));
            }
            pipeline.sync();
        } catch (JedisException e) {
            broken = e;
        }
        List<Reply> replies = new ArrayList<>(commands.size());
        for (int i = 0; i < commands.size(); i++) {
            replies.add(
                    i < responses.size()
                            ? reply(responses.get(i), broken)
                            : Reply.failed(Objects.requireNonNull(broken)));
        }
        return replies;
    }

    private static Reply reply(Response<Object> response, @Nullable JedisException broken) {
        try {
            Object reply = response.get();
            return Reply.of(reply instanceof List<?> list ? new ArrayList<>(list) : Arrays.asList(reply));
        } catch (JedisDataException e) {
            return Reply.failed(e);
        } catch (IllegalStateException e) { // the reply was not read
            return Reply.failed(broken == null ? e : broken);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } finally {
            factory.destroy();
        }
    }
}
