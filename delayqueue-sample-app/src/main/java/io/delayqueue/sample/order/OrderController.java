package io.delayqueue.sample.order;

import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Orders over HTTP. */
@RestController
@RequestMapping("/orders")
final class OrderController {

    private static final int MOST = 200;

    private final OrderService orders;

    OrderController(OrderService orders) {
        this.orders = orders;
    }

    @PostMapping
    ResponseEntity<Order> place(@Valid @RequestBody NewOrder wanted) {
        Order order = orders.place(wanted);
        return ResponseEntity.created(URI.create("/orders/" + order.id())).body(order);
    }

    @GetMapping
    List<Order> latest(@RequestParam(defaultValue = "50") int limit) {
        return orders.latest(Math.max(1, Math.min(limit, MOST)));
    }

    @GetMapping("/{id}")
    Order get(@PathVariable String id) {
        return orders.get(id);
    }

    @PostMapping("/{id}/pay")
    Order pay(@PathVariable String id) {
        return orders.pay(id);
    }

    @PostMapping("/{id}/postpone")
    Order postpone(@PathVariable String id) {
        return orders.postpone(id);
    }

    @PostMapping("/{id}/deliver")
    Order deliver(@PathVariable String id) {
        return orders.deliver(id);
    }
}
