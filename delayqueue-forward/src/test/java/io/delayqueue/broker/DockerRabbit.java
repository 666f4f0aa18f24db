package io.delayqueue.broker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.PortBinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;

/** RabbitMQ in a container, which keeps its files when it is killed and started again. */
final class DockerRabbit extends RabbitTestBroker {

    private static final Duration START = Duration.ofMinutes(2);

    private final DockerClient docker = DockerClientFactory.lazyClient();
    private RabbitMQContainer container;

    static boolean isAvailable() {
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
    void control(String... arguments) {
        List<String> command = new ArrayList<>(List.of("rabbitmqctl", "--quiet"));
        command.addAll(List.of(arguments));
        try {
            Container.ExecResult result = container.execInContainer(command.toArray(String[]::new));
            if (result.getExitCode() != 0) {
                throw new IllegalStateException(result.getStderr());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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
