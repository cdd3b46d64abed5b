// Set up all sections that the page has.
const THEMES = ["auto", "light", "dark"];
const setUpTheme = () => {
  const button = $("theme");
  let at = 0;
  const show = () => {
    if (at) document.documentElement.dataset.theme = THEMES[at];
    else delete document.documentElement.dataset.theme;
    button.textContent = `${"◐○●"[at]} ${THEMES[at]}`;
    button.setAttribute("aria-label", `${THEMES[at]} colours; change`);
  };
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    show();
  });
  show();
};
setUpTheme();
if ($("classes")) setUpClasses();
if ($("what-if")) setUpWhatIf();
if ($("counts")) setUpCounts();
if ($("together")) setUpPairs();
if ($("mistakes")) setUpMistakes();
if ($("how")) setUpBeta();
document.documentElement.dataset.ready = "yes";
