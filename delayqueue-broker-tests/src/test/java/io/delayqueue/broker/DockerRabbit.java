package io.delayqueue.broker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.PortBinding;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;

/** RabbitMQ in a container, where there is Docker. The container is killed and started again, with its files. */
final class DockerRabbit extends RabbitTestBroker {

    private static final Duration START = Duration.ofMinutes(2);

    private final DockerClient docker = DockerClientFactory.lazyClient();
    private RabbitMQContainer container;

    static boolean isThere() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    @Override
    public void start() {
        if (container == null) {
            container = new RabbitMQContainer(DockerImageName.parse("rabbitmq:4"))
                    .withEnv("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-rabbit max_message_size " + LARGEST_MESSAGE)
                    .withCreateContainerCmdModifier(command -> Objects.requireNonNull(command.getHostConfig())
                            .withPortBindings(PortBinding.parse("127.0.0.1:" + port + ":5672")));
            container.start();
        } else {
            docker.startContainerCmd(container.getContainerId()).exec();
        }
        Awaitility.await().atMost(START).until(this::serves);
    }

    @Override
    public void kill() {
        docker.killContainerCmd(container.getContainerId()).exec();
    }

    @Override
    public void pause() {
        docker.pauseContainerCmd(container.getContainerId()).exec();
    }

    @Override
    public void resume() {
        docker.unpauseContainerCmd(container.getContainerId()).exec();
    }

    @Override
    public void close() {
        container.stop();
    }
}
