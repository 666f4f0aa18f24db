/*
 * h() describes elements, and patch() updates the document accordingly. It reuses existing elements, so that focus,
 * selection and scrolling are kept. Text becomes a text node or an attribute's value, never markup.
 */

const SVG = 'http://www.w3.org/2000/svg';
const PROPS = Symbol('props');
const HANDLERS = Symbol('handlers');
const KEY = Symbol('key');
const SHOWN = Symbol('shown');

/**
 * Describes an element. Properties on... are event handlers, `key` identifies it among its siblings, others are
 * attributes. The detail of the event `near` is whether the element is less than a screen away from the viewport.
 */
export function h(tag, props, ...children) {
  return {
    tag,
    props: props || {},
    children: children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  };
}

/** Describes an SVG element. */
export function svg(tag, props, ...children) {
  return { ...h(tag, props, ...children), namespace: SVG };
}

/** Updates the children of an element as described. Returns whether the focused element still exists. */
export function patch(parent, ...described) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  patchChildren(parent, h('', null, ...described).children);
  // A moved row loses the focus.
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  return focused === null || focused.isConnected;
}

function patchChildren(parent, wanted) {
  const keyed = new Map();
  const others = [];
  for (const node of parent.childNodes) {
    if (node[KEY] === undefined) others.push(node);
    else keyed.set(node[KEY], node);
  }
  wanted.forEach((description, index) => {
    const node = patchNode(take(keyed, others, description), description);
    const there = parent.childNodes[index];
    if (there !== node) parent.insertBefore(node, there || null);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

function take(keyed, others, description) {
  const { tag, props } = typeof description === 'object' ? description : { tag: '#text', props: {} };
  if (props.key !== undefined) {
    const node = keyed.get(String(props.key));
    return node && node.nodeName.toLowerCase() === tag.toLowerCase() ? node : null;
  }
  const index = others.findIndex((node) => node.nodeName.toLowerCase() === tag.toLowerCase());
  return index < 0 ? null : others.splice(index, 1)[0];
}

function patchNode(node, description) {
  if (typeof description !== 'object') {
    const text = String(description);
    if (!node) return document.createTextNode(text);
    if (node.data !== text) node.data = text;
    return node;
  }
  // The same description has the same result.
  if (node && node[SHOWN] === description) return node;
  const { tag, props, children, namespace } = description;
  const made = node || (namespace ? document.createElementNS(namespace, tag) : document.createElement(tag));
  if (props.key !== undefined) made[KEY] = String(props.key);
  patchProps(made, props);
  patchChildren(made, children);
  made[SHOWN] = description;
  return made;
}

function patchProps(node, props) {
  const before = node[PROPS] || {};
  for (const name of Object.keys(before)) {
    if (!(name in props)) set(node, name, null);
  }
  for (const [name, value] of Object.entries(props)) {
    if (name !== 'key' && before[name] !== value) set(node, name, value);
  }
  node[PROPS] = props;
}

function set(node, name, value) {
  if (name.startsWith('on')) {
    const type = name.slice(2);
    const handlers = (node[HANDLERS] = node[HANDLERS] || {});
    if (!(type in handlers)) {
      node.addEventListener(type, (event) => handlers[type] && handlers[type](event));
      if (type === 'near') observe(node);
    }
    handlers[type] = value;
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? '' : String(value));
  }
}

let proximity;

function observe(node) {
  proximity ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        target.dispatchEvent(new CustomEvent('near', { detail: isIntersecting }));
      }
    },
    { rootMargin: '100% 0%' },
  );
  proximity.observe(node);
}
