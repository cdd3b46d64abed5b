// Set up all sections.
const THEMES = ["auto", "light", "dark"];
const setUpTheme = () => {
  const button = $("theme");
  let at = 0;
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    if (at) document.documentElement.dataset.theme = THEMES[at];
    else delete document.documentElement.dataset.theme;
    button.textContent = `${"◐○●"[at]} ${THEMES[at]}`;
    button.setAttribute("aria-label", `Colours: ${at ? THEMES[at] : "as the system has them"}`);
  });
};
setUpTheme();
setUpPerformance();
setUpWeights();
setUpBeta();
setUpNomogram();
setUpRow();
setUpAttribute();
document.documentElement.dataset.ready = "yes";
