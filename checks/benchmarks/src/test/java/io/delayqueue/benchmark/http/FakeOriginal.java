package io.delayqueue.benchmark.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.Reader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Reads the settings of the original server and responds to each request with the request's body. */
final class FakeOriginal {

    private FakeOriginal() {}

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        try (Reader file = Files.newBufferedReader(Path.of(arguments[1]))) {
            settings.load(file);
        }
        String[] address = settings.getProperty("bind_address").split(":", -1);
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getByName(address[0]), Integer.parseInt(address[1])), 0);
        server.createContext("/push", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            byte[] response = (arguments[0] + " " + settings.getProperty("redis.host") + " " + body).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, response.length);
            exchange.getResponseBody().write(response);
            exchange.close();
        });
        server.start();
    }
}
