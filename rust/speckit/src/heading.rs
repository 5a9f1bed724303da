//! The meaning of headings: phases, stories and priorities in several languages, and which parts of a list
//! hold no tasks of their own.

use super::task::TaskPhase;
use chant_text::lazy_pattern::LazyPattern;

static PHASE: LazyPattern = LazyPattern::new(concat!(
    r"(?i)^(?:phase\s|(?:fase|étape|etapa|этап|фаза|aşama|giai đoạn)\s|フェーズ|阶段|階段|段階|단계)\s*([0-9]+)\b",
    r"|^([0-9]+)\s*(?:단계|フェーズ)",
    r"|^第\s*([0-9]+|[一二三四五六七八九十]{1,3})\s*(?:阶段|階段|段階|フェーズ)",
    r"|^(?:阶段|階段)\s*([一二三四五六七八九十]{1,3})(?:[^一二三四五六七八九十]|$)"
));
static STORY_NUMBER: LazyPattern = LazyPattern::new(concat!(
    r"(?i)\buser[ -]story\s+([0-9]+[a-z]?)\b|\b(US[0-9]+)\b",
    r"|(?:使用者故事|用户故事|用戶故事|사용자\s*스토리|유저\s*스토리|ユーザー?\s*ストーリー)\s*([0-9]+[a-z]?)",
    r"|(?:historia de usuario|história de usuário|récit utilisateur|histoire utilisateur|пользовательская история|anwendergeschichte|benutzergeschichte|kullanıcı hikayesi)\s+([0-9]+[a-z]?)\b"
));
static PRIORITY: LazyPattern = LazyPattern::new(
    r"(?i)(?:priority|prioridad|prioridade|priorité|priorität|приоритет|优先级|優先級|優先順位|優先度|우선순위)[:：]?\s*(P[0-9]+)",
);
static CHECKPOINT: LazyPattern =
    LazyPattern::new(r"^\s*\*\*(?:Checkpoint|检查点|檢查點|체크포인트|チェックポイント)");
static RECAP: LazyPattern = LazyPattern::new(concat!(
    r"(?i)\b(?:summary|recap|overview|at a glance|roll-?up|progress|status|tracking|tracker|totals?|index|checklist|zusammenfassung|übersicht|resumen|resumo|résumé)\b",
    r"|总结|總結|汇总|彙總|小结|概览|概覽|まとめ|サマリ|요약"
));
static CHECKLIST: LazyPattern = LazyPattern::new(concat!(
    r"(?i)\b(?:checklists?|criteria|definition of done|validation|verification|review|gates?|acceptance|sign-?off|prerequisites?|success|quality|execution status|questions?|risks?)\b",
    r"|清单|清單|验收|驗收|检查|檢查|チェック|체크|검증"
));

/// Returns true if a heading begins a phase, at whatever level it stands.
pub(super) fn is_phase(title: &str) -> bool {
    PHASE.is_match(title)
}

/// Returns true if a line says what has to be true when a phase is over.
pub(super) fn is_checkpoint(line: &str) -> bool {
    line.contains("**") && CHECKPOINT.is_match(line)
}

/// Returns the text of such a line.
pub(super) fn checkpoint(line: &str) -> String {
    let text = CHECKPOINT.strip_from(line);
    text.trim_start_matches([':', '：', '*', ' '])
        .trim()
        .to_owned()
}

/// Returns true if the part under a heading sums up tasks that stand elsewhere.
pub(super) fn is_recap(title: &str) -> bool {
    !is_phase(title) && RECAP.is_match(title)
}

/// Returns true if boxes under a heading are there to be checked rather than to be done.
pub(super) fn is_checklist(title: &str) -> bool {
    !is_phase(title) && (CHECKLIST.is_match(title) || RECAP.is_match(title))
}

/// Reads what a heading says of its phase.
pub(super) fn phase(title: &str) -> TaskPhase {
    let number = PHASE.captures(title).and_then(|found| {
        let number = (1..=4).find_map(|at| found.get(at))?;
        number_of(number.as_str())
    });
    let story = STORY_NUMBER.captures(title).and_then(|found| {
        Some(match found.get(2) {
            Some(whole) => whole.as_str().to_uppercase(),
            None => format!(
                "US{}",
                [1, 3, 4].iter().find_map(|at| found.get(*at))?.as_str()
            ),
        })
    });
    TaskPhase {
        title: title.to_owned(),
        number,
        story,
        priority: PRIORITY
            .captures(title)
            .map(|found| found[1].to_uppercase()),
        is_mvp: title.contains("MVP"),
        checkpoint: None,
    }
}

/// A number in digits, or in Chinese up to 99.
fn number_of(text: &str) -> Option<u32> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let digit = |c: char| {
        let digits = "一二三四五六七八九".chars().position(|digit| digit == c)?;
        u32::try_from(digits + 1).ok()
    };
    let Some((tens, ones)) = text.split_once('十') else {
        let mut one = text.chars();
        return one.next().and_then(digit).filter(|_| one.next().is_none());
    };
    let part = |text: &str, empty: u32| match text {
        "" => Some(empty),
        text => text.chars().next().and_then(digit),
    };
    Some(part(tens, 1)? * 10 + part(ones, 0)?)
}
