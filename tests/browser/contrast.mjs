// Runs inside the page: the text with the least contrast to what lies behind it, as WCAG 2
// computes it. Text inside of an SVG is filled, and lies on what its picture lies on.
export const leastContrast = () => {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((channel) => {
      const share = channel / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backdrop = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    throw new Error('nothing behind the text has a colour');
  };
  // A number in a circle of a plot lies on that circle, which stands before it.
  const behind = (element) => {
    const circle = element.previousElementSibling;
    if (element.matches('text.point') && circle) return channels(getComputedStyle(circle).fill);
    return backdrop(element);
  };

  let least = {contrast: Infinity, count: 0};
  let count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = luminance(channels(element.closest('svg') ? style.fill : style.color));
    const paper = luminance(behind(element));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    count += 1;
    if (contrast < least.contrast) least = {contrast, text: walker.currentNode.data.slice(0, 60)};
  }
  return {...least, count};
};
