// Figures as files: SVG with its colours written out, so that it looks the same elsewhere, and PNG.

const SCALE = 3;
const STYLED = ["fill", "stroke", "color"] as const;

/** The drawing as a text of its own, in the colours that the page shows. */
function svgText(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.removeAttribute("aria-hidden");
  const [shown, copied] = [chart, copy].map((svg) => [svg, ...svg.querySelectorAll<SVGElement>("*")]);
  for (const [index, element] of shown!.entries()) {
    const style = getComputedStyle(element);
    for (const name of STYLED) copied![index]!.setAttribute(name, style.getPropertyValue(name));
  }
  const ground = document.createElementNS(copy.namespaceURI, "rect");
  const fill = getComputedStyle(document.documentElement).backgroundColor;
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill })) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

async function png(chart: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svgText(chart))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SCALE * image.width, SCALE * image.height];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), "image/png"));
}

/** Saves a chart as a file of this kind. */
export async function save(chart: SVGSVGElement, kind: string, name: string): Promise<void> {
  const blob = kind === "png" ? await png(chart) : new Blob([svgText(chart)], { type: "image/svg+xml" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name}.${kind}`;
  link.click();
  URL.revokeObjectURL(link.href);
}
