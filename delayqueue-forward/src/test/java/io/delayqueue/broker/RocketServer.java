package io.delayqueue.broker;

import java.nio.file.Path;
import java.util.Arrays;
import org.apache.rocketmq.auth.config.AuthConfig;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.netty.TlsSystemConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.store.config.FlushDiskType;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/** The main class of the JVM of a RocketMQ name server and, if there are arguments for it, its broker. */
final class RocketServer {

    private static final int QUEUES = 4;

    private RocketServer() {}

    /** Starts with the files of the last run, if there are some. */
    public static void main(String... arguments) throws Exception {
        Path data = Path.of(arguments[0]);
        System.setProperty("user.home", data.toString()); // the default of several files
        // otherwise the name server reads registrations as those of an old broker
        System.setProperty(RemotingCommand.REMOTING_VERSION_KEY, String.valueOf(MQVersion.CURRENT_VERSION));
        // otherwise each server generates a key, which takes seconds
        System.setProperty(TlsSystemConfig.TLS_SERVER_MODE, "disabled");
        NettyServerConfig nameServer = new NettyServerConfig();
        nameServer.setBindAddress("127.0.0.1");
        nameServer.setListenPort(Integer.parseInt(arguments[1]));
        NamesrvController names = new NamesrvController(new NamesrvConfig(), nameServer);
        names.initialize();
        names.start();
        if (arguments.length == 2) {
            System.out.println("The name server serves");
            return;
        }

        BrokerConfig configuration = new BrokerConfig();
        configuration.setNamesrvAddr("127.0.0.1:" + arguments[1]);
        configuration.setBrokerIP1("127.0.0.1");
        configuration.setAutoCreateTopicEnable(false);
        NettyServerConfig server = new NettyServerConfig();
        server.setBindAddress("127.0.0.1");
        server.setListenPort(Integer.parseInt(arguments[2]));
        MessageStoreConfig store = new MessageStoreConfig();
        store.setStorePathRootDir(data.toString());
        store.setStorePathCommitLog(data.resolve("commitlog").toString());
        store.setMappedFileSizeCommitLog(64 << 20);
        store.setFlushDiskType(FlushDiskType.SYNC_FLUSH);
        store.setHaListenPort(Integer.parseInt(arguments[3]));
        AuthConfig auth = new AuthConfig();
        auth.setConfigName(configuration.getBrokerName());
        auth.setAuthConfigPath(data.resolve("auth").toString());
        BrokerController broker = new BrokerController(configuration, server, new NettyClientConfig(), store, auth);
        if (!broker.initialize()) {
            throw new IllegalStateException("The broker cannot be initialized");
        }
        Arrays.stream(arguments)
                .skip(4)
                .forEach(topic ->
                        broker.getTopicConfigManager().updateTopicConfig(new TopicConfig(topic, QUEUES, QUEUES)));
        broker.start();
    }
}
