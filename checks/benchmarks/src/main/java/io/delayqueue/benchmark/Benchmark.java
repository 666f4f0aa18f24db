package io.delayqueue.benchmark;

import io.delayqueue.benchmark.http.OriginalServer;
import io.delayqueue.benchmark.report.Goal;
import io.delayqueue.benchmark.report.Reports;
import io.delayqueue.benchmark.report.RunFile;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Run;
import io.delayqueue.benchmark.result.Sample;
import io.delayqueue.benchmark.run.BullmqInstallation;
import io.delayqueue.benchmark.run.Profile;
import io.delayqueue.benchmark.run.RedisServers;
import io.delayqueue.benchmark.run.Runner;
import io.delayqueue.benchmark.run.VirtualThreadsJdk;
import io.delayqueue.testing.PostgresServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.core.env.SimpleCommandLinePropertySource;

/**
 * Runs the benchmark, prints its progress, and writes the results into {@code target/benchmark}: a report in Markdown,
 * the numbers as JSON, and charts. Options:
 *
 * <ul>
 *   <li>{@code --profile=full} (default, two hours) or {@code quick} (2 minutes, times are not meaningful)
 *   <li>{@code --rounds=5}: number of rounds of the full profile
 *   <li>{@code --only=SEND,DRAIN}: restricts the run to these {@link Measure measures}
 *   <li>{@code --scheduled=0,1000000}: restricts the run to stages with these numbers of scheduled messages
 *   <li>{@code --report-from=results.json}: measures nothing and writes the files of the report again
 *   <li>{@code --redis=/usr/bin/redis-server}: Redis executable. The default is {@code redis-server} on the path or, if
 *       missing, the embedded server, which is compiled for size and about half as fast
 *   <li>{@code --original=/path/to/delay-queue}: the executable of ouqiang/delay-queue, to compare its HTTP interface.
 *       It is not measured by default
 * </ul>
 */
public final class Benchmark {

    private static final Set<String> OPTIONS =
            new TreeSet<>(Set.of("profile", "rounds", "only", "scheduled", "redis", "original", "report-from"));
    private static final Path DIRECTORY = Path.of("target", "benchmark");

    private final PrintStream out;
    private final Profile profile;
    private final RedisServers servers;

    private Benchmark(PrintStream out, SimpleCommandLinePropertySource options) {
        this.out = out;
        Profile named = Profile.named(option(options, "profile", "full"), rounds(option(options, "rounds", "5")));
        String only = option(options, "only", "");
        String scheduled = option(options, "scheduled", "");
        Profile restricted = only.isEmpty() ? named : named.only(measures(only));
        Profile compared = original(options) ? restricted : restricted.without(Party.ORIGINAL);
        this.profile = scheduled.isEmpty() ? compared : compared.onlyScheduled(numbers(scheduled));
        this.servers = RedisServers.of(options.getProperty("redis"));
    }

    /** Whether the executable of the original server is given. The trials find it in a system property. */
    private static boolean original(SimpleCommandLinePropertySource options) {
        String executable = options.getProperty("original");
        if (executable == null) {
            return false;
        }
        if (!Files.isExecutable(Path.of(executable))) {
            throw new IllegalArgumentException("--original must be an executable file, but was " + executable);
        }
        System.setProperty(
                OriginalServer.EXECUTABLE, Path.of(executable).toAbsolutePath().toString());
        return true;
    }

    private static String option(SimpleCommandLinePropertySource options, String name, String otherwise) {
        String value = options.getProperty(name);
        return value == null ? otherwise : value;
    }

    private static int rounds(String text) {
        try {
            int rounds = Integer.parseInt(text);
            if (rounds > 0) {
                return rounds;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("--rounds must be a whole number greater than 0, but was '" + text + "'");
    }

    private static Set<Measure> measures(String names) {
        try {
            return Arrays.stream(names.split(",", -1))
                    .map(name -> Measure.valueOf(name.strip().toUpperCase(Locale.ROOT)))
                    .collect(Collectors.toSet());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--only must be a list of " + Arrays.toString(Measure.values()) + ", but was '" + names + "'", e);
        }
    }

    private static Set<Integer> numbers(String list) {
        try {
            return Arrays.stream(list.split(",", -1))
                    .map(number -> Integer.valueOf(number.strip()))
                    .collect(Collectors.toSet());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "--scheduled must be a list of whole numbers, but was '" + list + "'", e);
        }
    }

    /** Runs the command. The exit code is 1 if an invariant is violated. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        SimpleCommandLinePropertySource options = new SimpleCommandLinePropertySource(arguments);
        Benchmark benchmark;
        try {
            for (String name : options.getPropertyNames()) {
                if (!OPTIONS.contains(name)) {
                    throw new IllegalArgumentException("Unknown option --" + name + ". Options: " + OPTIONS);
                }
            }
            benchmark = new Benchmark(System.out, options);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        String results = options.getProperty("report-from");
        if (results != null) {
            benchmark.tell(new Reports().write(new RunFile(Path.of(results)).read(), DIRECTORY));
            return;
        }
        System.exit(benchmark.run() ? 0 : 1);
    }

    private boolean run() throws IOException, InterruptedException {
        Files.createDirectories(DIRECTORY);
        Profile measured = profile;
        boolean bullmq = profile.has(Party.BULLMQ);
        if (bullmq && !BullmqInstallation.install(out)) {
            measured = profile.without(Party.BULLMQ);
            bullmq = false;
        }
        if (measured.has(Measure::onVirtualThreads) && VirtualThreadsJdk.java().isEmpty()) {
            out.println("Virtual threads are not measured: JAVA_HOME_25 is not set");
            measured = measured.without(Measure::onVirtualThreads);
        }
        if (measured.has(Measure.COMMIT::equals) && !PostgresServer.isInstalled()) {
            out.println("Commits are not measured: PostgreSQL is not installed (Debian: apt-get install postgresql)");
            measured = measured.without(Measure.COMMIT::equals);
        }
        Map<String, String> environment = servers.environment();
        if (measured.has(Measure.INSTRUCTIONS::equals) && !RedisServers.canCount()) {
            environment.put("Instructions", "not counted, because valgrind is not on the path");
            measured = measured.without(Measure.INSTRUCTIONS::equals);
        }
        environment.put(
                "Warm-up",
                profile.warmUp().toMillis() / 1e3 + " s of each trial, in its own process; 12 times as long over HTTP");
        if (bullmq) {
            environment.put("BullMQ", BullmqInstallation.VERSIONS);
        }
        environment.forEach((label, value) -> out.println(label + ": " + value));
        List<Sample> samples = new ArrayList<>();
        List<String> violations = List.of();
        try {
            violations = new Runner(measured, servers, DIRECTORY, out, samples::add).run();
        } finally { // also print results measured before a failure
            tell(new Reports().write(new Run(profile.name(), environment, samples), DIRECTORY));
        }
        violations.forEach(violation -> out.println("VIOLATED: " + violation));
        return violations.isEmpty();
    }

    private void tell(List<Goal> goals) {
        goals.stream()
                .filter(goal -> goal.verdict() != Goal.Verdict.NOT_MEASURED)
                .forEach(goal -> out.println(
                        goal.verdict().title() + ": " + goal.title() + ": " + goal.goal() + ": " + goal.measured()));
        out.println("Report: " + DIRECTORY.resolve(Reports.REPORT).toAbsolutePath());
    }
}
