package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The charts of the page. */
@Tag("long")
@Tag("browser")
class DashboardChartsTests {

    @Test
    void sparklineOfTheSamePointsHasTheLabelAndLevelOfItsView(@TempDir Path directory) throws IOException {
        JsonNode result = new DashboardScripts(directory).run("""
                const { sparkline } = await import('./charts.js');
                const points = [{ at: 1000, lagMillis: 2000 }];
                const overview = sparkline(points, 'lagMillis', 'Lag of orders', '');
                const topic = sparkline(points, 'lagMillis', 'Lag', 'bad');
                const again = sparkline(points, 'lagMillis', 'Lag of orders', '');
                const shown = ({ props }) => `${props['aria-label']}; ${props.class}`;
                return [shown(overview), shown(topic), again === overview];
                """);

        assertThat(result.get(0).asString()).isEqualTo("Lag of orders, last 10 minutes: now 2 s, at most 2 s; spark ");
        assertThat(result.get(1).asString()).isEqualTo("Lag, last 10 minutes: now 2 s, at most 2 s; spark bad");
        assertThat(result.get(2).asBoolean()).as("drawn once").isTrue();
    }

    @Test
    void eachValueIsDrawnFromBeforeThePageWasOpened(@TempDir Path directory) throws IOException {
        JsonNode result = new DashboardScripts(directory).run("""
                const { sparkline } = await import('./charts.js');
                const history = await import('./history.js');
                const all = (number) =>
                    ({ scheduled: number, ready: number, leased: number, dead: number, lagMillis: number, failed: number });
                const topic = {
                  topic: 't',
                  ...all(1),
                  attempts: { succeeded: 0, retried: 1, dead: 0 },
                  history: [{ at: '2030-01-01T00:00:00.000Z', ...all(9) }],
                };
                history.record([topic], Date.parse('2030-01-01T00:00:10.000Z'));
                return ['scheduled', 'ready', 'leased', 'dead', 'failed']
                    .map((field) => sparkline(history.of('t'), field, 'Value', '').props['aria-label']);
                """);

        assertThat(result.valueStream().map(JsonNode::asString))
                .hasSize(5)
                .containsOnly("Value, last 10 minutes: now 1, at most 9");
    }
}
