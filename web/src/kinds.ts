// Kinds that the registry of the contract does not have: their names, colours
// and shapes.

export const others: Record<string, { label: string; color: string; colorDark: string; shape: "diamond" | "square" | "page" }> = {
  marketplace: { label: "Marketplaces", color: "#be185d", colorDark: "#f472b6", shape: "diamond" },
  plugin: { label: "Plugins", color: "#9333ea", colorDark: "#c084fc", shape: "square" },
  rule: { label: "Rules", color: "#0f766e", colorDark: "#2dd4bf", shape: "page" },
};
